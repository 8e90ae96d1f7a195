/** Sockets that notice a host that vanished. Imports nothing of Sluice. */
package dev.sluice.config.net;
