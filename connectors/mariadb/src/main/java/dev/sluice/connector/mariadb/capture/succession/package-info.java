/**
 * Another server replaces the former one: proves that it has the same transactions, finds the place
 * where the task continues, and watches whether the address leads elsewhere. Imports {@code
 * capture}, {@code capture.stream}, {@code capture.position} and {@code connector.mariadb.server}.
 */
package dev.sluice.connector.mariadb.capture.succession;
