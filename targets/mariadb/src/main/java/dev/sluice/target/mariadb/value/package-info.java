/**
 * Values from the neutral text form, PostgreSQL's, to MariaDB's. A value that a column would cut,
 * round or read as another one is refused here. Imports {@code sink.target}.
 */
package dev.sluice.target.mariadb.value;
