/* ../lanes_counts.py calls the functions beside this one in an emulator.  Started as a program, they do nothing. */
int main(void)
{
    return 0;
}
