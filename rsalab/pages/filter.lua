-- What a page needs beyond GitHub's Markdown, in pandoc's own tree of the text.
local title

-- A heading takes the name of the `<a id="...">` in it, which would otherwise come twice: there and
-- in the table of contents.
function Header(heading)
  heading.content = heading.content:filter(function(part)
    if part.t ~= "RawInline" then return true end
    heading.identifier = part.text:match('<a id="(.-)">') or heading.identifier
  end)
  title = title or pandoc.utils.stringify(heading.content)
  return heading
end

-- No line ends with the hyphen of an option such as -O1.
function Str(word)
  if word.text:match("^%-%a") then return pandoc.Span(word, { class = "option" }) end
end

-- A narrow screen scrolls a table in its box.
function Table(rows)
  return pandoc.Div(rows, { class = "scroll", tabindex = "0" })
end

function Meta(facts)
  facts.pagetitle = title
  return facts
end
