/** The plugin's release. Imports nothing of ours. */
package dev.sluice.connect.version;
