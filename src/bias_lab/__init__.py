"""bias_lab: does a text model score emotion differently because of who a sentence is about?"""

__version__ = "0.1.0"
