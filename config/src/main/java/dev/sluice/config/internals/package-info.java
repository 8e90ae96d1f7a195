/**
 * Access to members of libraries that are not public. The only package with reflection. Imports
 * {@code config.document}.
 */
package dev.sluice.config.internals;
