/** The command line. Imports {@code engine.daemon}. */
package dev.sluice.engine.command;
