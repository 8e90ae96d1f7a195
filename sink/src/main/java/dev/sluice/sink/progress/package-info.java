/** What the pipeline has done so far, as immutable values for other threads. */
package dev.sluice.sink.progress;
