/** MariaDB as the source of a benchmark. Imports {@code bench.peer} and {@code bench.server}. */
package dev.sluice.bench.mariadb;
