/**
 * The servers of a cluster, and which of them a session is opened on. Imports {@code config} only.
 */
package dev.sluice.target.yugabytedb.cluster;
