/**
 * The Kafka broker that runs inside the daemon if the user has no cluster; free ports, and folders
 * for the servers of tests. Imports nothing of Sluice.
 */
package dev.sluice.embedded;
