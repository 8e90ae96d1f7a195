/**
 * What goes on in the source beside the task: locks, work of the server, and what does not come
 * along with rows. Imports {@code connector.api}, {@code connector.comparison} and {@code
 * connector.postgres.server}.
 */
package dev.sluice.connector.postgres.activity;
