/**
 * Types and values: to which type of PostgreSQL a column goes, and the text of a value of the
 * binary log. Imports {@code connector.api} and {@code connector.mariadb.server}.
 */
package dev.sluice.connector.mariadb.type;
