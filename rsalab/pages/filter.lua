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

-- A narrow screen, and the keyboard, scroll a table or code in its box.
local function scrolled(block)
  return pandoc.Div(block, { class = "scroll", tabindex = "0" })
end
Table, CodeBlock = scrolled, scrolled

-- On paper a chart waits for a page that has room; a formula of its own line scrolls as code does.
function Para(block)
  if #block.content ~= 1 then return end
  if block.content[1].t == "Image" then return pandoc.Div(block, { class = "chart", tabindex = "0" }) end
  if block.content[1].t == "Math" then return scrolled(block) end
end

function Meta(facts)
  facts.pagetitle = title
  return facts
end
