/**
 * Sessions on databases: a login with a limit, sockets that detect an unreachable host, and a pool.
 * Imports nothing of Sluice.
 */
package dev.sluice.config.net;
