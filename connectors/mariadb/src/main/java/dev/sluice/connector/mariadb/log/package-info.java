/**
 * The server's binary log: positions, files that are still there, fences, the proof of its history,
 * and from where a task may go on. Imports {@code connector.api}, {@code
 * connector.mariadb.capture}, {@code connector.mariadb.load} and {@code connector.mariadb.server}.
 */
package dev.sluice.connector.mariadb.log;
