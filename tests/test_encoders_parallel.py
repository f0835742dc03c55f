"""Forward passes side by side: all of them, in order, with torch's settings untouched."""

import threading

import numpy as np
import pytest
import torch

from bias_lab.encoders.frozen import FrozenEncoder
from bias_lab.encoders.parallel import parallel_map


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def test_items_are_worked_on_side_by_side_on_one_thread_each_and_come_in_order(threads):
    threads(2)
    both = threading.Barrier(2)

    def work(item):
        both.wait(timeout=60)  # passes only if two items are at work at the same time
        return item, torch.get_num_threads()

    with parallel_map("cpu") as mapped:
        assert list(mapped(work, range(4))) == [(item, 1) for item in range(4)]


def test_torchs_number_of_threads_is_as_before_for_threads_to_come_too(threads):
    threads(3)
    found = []
    with parallel_map("cpu") as mapped:
        list(mapped(abs, range(3)))
    thread = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert (torch.get_num_threads(), found) == (3, [3])


def test_an_error_comes_out_and_ends_the_work(threads):
    threads(2)
    done = []

    def work(item):
        if item == 0:
            raise ValueError("no")
        done.append(item)

    with pytest.raises(ValueError, match=r"^no$"), parallel_map("cpu") as mapped:
        list(mapped(work, range(1000)))
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize(("device", "cores"), [("cuda", 2), ("cpu", 1)])
def test_a_gpu_and_a_single_core_take_one_after_the_other(threads, device, cores):
    threads(cores)
    with parallel_map(device) as mapped:
        assert mapped is map


def test_vectors_have_the_same_bits_whatever_the_number_of_cores(threads, tiny_checkpoint):
    encoder = FrozenEncoder(name_or_path=str(tiny_checkpoint), device="cpu", batch_tokens=16)
    texts = ["the man is angry", "she feels sad", "they are happy", "i am furious and sad", "the man is sad"]
    threads(1)
    one = encoder.encode(texts).vectors
    threads(3)
    np.testing.assert_array_equal(encoder.encode(texts).vectors, one)
