/**
 * Stops the writers of the source's tables by locks, decides a cutover in the locks' transaction,
 * and keeps writers out with triggers. Imports {@code config}, {@code connector.api}, and {@code
 * activity} and {@code server} of this connector.
 */
package dev.sluice.connector.postgres.writers;
