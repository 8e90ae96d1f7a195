/** The experiment with settings of DMS. */
package dev.sluice.bench.dms;
