/**
 * Makes rows of the target equal to the source's between two windows. Imports {@code
 * engine.validate.session} and {@code engine.context}.
 */
package dev.sluice.engine.validate.repair;
