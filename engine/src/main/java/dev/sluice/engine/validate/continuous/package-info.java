/**
 * The validation beside replication: the thread that runs sessions, and what their findings mean
 * for each table. Imports {@code engine.validate.session}, {@code engine.validate.schedule}, {@code
 * engine.validate.record}, {@code engine.validate.verdict} and {@code engine.context}.
 */
package dev.sluice.engine.validate.continuous;
