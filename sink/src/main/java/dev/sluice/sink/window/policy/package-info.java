/** Decides when a window closes. Pure: the time is passed in. */
package dev.sluice.sink.window.policy;
