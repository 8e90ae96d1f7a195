/**
 * Retries of what failed, with DMS's back-off, and waiting until a condition holds. Imports {@code
 * config}, {@code config.document} and {@code config.settings}.
 */
package dev.sluice.config.retry;
