/**
 * The demo and the sandbox: complete migrations on this machine. Imports the command line, {@code
 * embedded.postgres} and {@code embedded.mariadb}.
 */
package dev.sluice.demo;
