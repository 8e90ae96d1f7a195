/** Database sockets that detect an unreachable host. Imports nothing of Sluice. */
package dev.sluice.config.net;
