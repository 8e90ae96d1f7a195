/**
 * The task file: endpoints, directories, and the complete configuration of a task or an import.
 * Imports all other packages of this module.
 */
package dev.sluice.config.task;
