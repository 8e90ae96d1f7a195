/**
 * Hooks of a cutover: what is done to the applications' side of it, from the check beforehand to
 * the resume at a later start. Imports {@code context} and {@code cutover.hook.pgbouncer}.
 */
package dev.sluice.engine.cutover.hook;
