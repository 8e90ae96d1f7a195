/**
 * Converts values from the neutral form, PostgreSQL's text, to MariaDB's. A value that a column
 * would cut, round or take for another one is refused here. Imports {@code sink.target}.
 */
package dev.sluice.target.mariadb.value;
