package dev.sluice.config.task;

/**
 * A type of target database. Whoever implements a target implements this, and names the class in
 * {@code META-INF/services}: {@link EndpointTypes} finds it there. Immutable.
 */
public interface TargetType extends EndpointType {}
