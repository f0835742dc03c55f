"""`python -m bias_lab`."""

from bias_lab.cli import main

if __name__ == "__main__":
    main()
