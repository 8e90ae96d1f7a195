/**
 * Reads YAML and JSON documents into nodes that know their line, and collects every problem of a
 * document. Imports {@code config}.
 */
package dev.sluice.config.document;
