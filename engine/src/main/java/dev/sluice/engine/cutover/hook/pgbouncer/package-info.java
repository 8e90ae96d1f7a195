/** The admin console of pgbouncer, by JDBC. Imports the configuration only. */
package dev.sluice.engine.cutover.hook.pgbouncer;
