package dev.sluice.engine.status;

/**
 * The answer to a request that the daemon does not execute. Immutable.
 *
 * @param error why; null in any other answer
 */
public record RefusedRequest(String error) {}
