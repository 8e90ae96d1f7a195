/** Snapshots of the pipeline's progress: immutable values for other threads. */
package dev.sluice.sink.progress;
