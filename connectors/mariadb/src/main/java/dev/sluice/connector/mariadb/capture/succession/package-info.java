/**
 * Another server takes the place of the former one: proves that it has the same transactions, finds
 * the place where the task goes on, and watches whether the address leads elsewhere. Imports {@code
 * capture}, {@code capture.stream}, {@code capture.position} and {@code connector.mariadb.server}.
 */
package dev.sluice.connector.mariadb.capture.succession;
