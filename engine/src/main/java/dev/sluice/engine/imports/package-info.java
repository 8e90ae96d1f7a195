/** Imports files: plan, jobs, summary. Imports {@code load} and {@code engine.context}. */
package dev.sluice.engine.imports;
