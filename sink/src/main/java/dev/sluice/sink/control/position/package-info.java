/**
 * Checkpoints of lanes and of partitions, as the control schema keeps them. Imports {@code
 * sink.control.schema}.
 */
package dev.sluice.sink.control.position;
