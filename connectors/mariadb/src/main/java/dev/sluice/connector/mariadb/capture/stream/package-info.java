/**
 * The binary log as the server sends it: the connection with its login and its encryption, and the
 * bytes of an event. Only this package makes connections that read the log, and only those of the
 * capture know the client's classes. Imports {@code connector.mariadb.server} and {@code
 * connector.mariadb.type}.
 */
package dev.sluice.connector.mariadb.capture.stream;
