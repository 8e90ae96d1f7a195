/** The entry of the command line. */
package dev.sluice.engine;
