//! How the C library's allocator treats memory that is freed.

/// Makes large pieces of freed memory return to the system. A process calls it once, before it starts threads.
///
/// Once a piece of some megabytes has been freed, glibc keeps the next ones of that size for itself. A run allocates one now and then, for
/// the text of a checkpoint, and would hold on to a tenth of its memory. Besides, glibc grows the memory of each thread by a page at a
/// time, with a system call for each.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for (option, value) in [(libc::M_MMAP_THRESHOLD, 128 * 1024), (libc::M_TOP_PAD, 1024 * 1024)] {
        // SAFETY: it takes two numbers, and nothing else in the process sets these options.
        // A refused option keeps its default, and the process then uses more memory.
        let _accepted = unsafe { libc::mallopt(option, value) };
    }
}
