/**
 * MariaDB as a target: its sessions, errors, staging tables and the statements that apply changes.
 * Imports {@code config}, {@code connector.api}, {@code sink.target} and the packages below it, and
 * {@code load.target}.
 */
package dev.sluice.target.mariadb;
