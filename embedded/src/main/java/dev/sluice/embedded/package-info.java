/**
 * The Kafka broker that runs inside the daemon if the user has no cluster. Imports nothing of
 * Sluice.
 */
package dev.sluice.embedded;
