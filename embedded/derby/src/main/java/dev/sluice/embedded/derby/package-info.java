/**
 * Apache Derby servers, which answer Db2's driver over its protocol (DRDA), for tests. Imports
 * {@code embedded}.
 */
package dev.sluice.embedded.derby;
