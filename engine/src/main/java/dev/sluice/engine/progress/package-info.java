/** Draws the progress of something long on a terminal. Imports nothing of Sluice. */
package dev.sluice.engine.progress;
