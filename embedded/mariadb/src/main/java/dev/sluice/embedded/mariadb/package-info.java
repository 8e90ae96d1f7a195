/** MariaDB servers that run without an installation, for tests. Imports {@code embedded}. */
package dev.sluice.embedded.mariadb;
