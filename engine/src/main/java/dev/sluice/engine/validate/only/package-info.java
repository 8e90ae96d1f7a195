/**
 * The pass of a task that only compares: both sides are read once as they are, without a journal
 * and without a checkpoint. Imports {@code engine.validate.session} and {@code
 * engine.validate.verdict}.
 */
package dev.sluice.engine.validate.only;
