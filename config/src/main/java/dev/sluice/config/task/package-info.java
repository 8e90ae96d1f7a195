/**
 * The task file: endpoints, folders, and the whole configuration of a task or an import. Imports
 * all other packages of this module.
 */
package dev.sluice.config.task;
