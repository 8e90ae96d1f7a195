/**
 * The Kafka broker that runs inside the daemon where the user has no cluster. Imports nothing of
 * Sluice.
 */
package dev.sluice.embedded;
