/**
 * The demo and the sandbox: complete migrations on this machine. Imports the command line and
 * {@code embedded.postgres}.
 */
package dev.sluice.demo;
