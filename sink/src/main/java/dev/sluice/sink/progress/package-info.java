/** Snapshots of the pipeline's progress, immutable values for other threads, and its metrics. */
package dev.sluice.sink.progress;
