/**
 * Reads YAML and JSON documents into nodes with line and column, and collects all problems of a
 * document. Imports {@code config}.
 */
package dev.sluice.config.document;
