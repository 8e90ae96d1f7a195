/** Compares tables of both sides. Imports {@code engine.context}. */
package dev.sluice.engine.validate;
