/**
 * Places of the binary log and names of its transactions: positions, GTIDs of MariaDB and MySQL,
 * and the proof that a log is still the same one. Imports {@code capture.stream}, {@code
 * capture.statement} and {@code connector.mariadb.server}.
 */
package dev.sluice.connector.mariadb.capture.position;
