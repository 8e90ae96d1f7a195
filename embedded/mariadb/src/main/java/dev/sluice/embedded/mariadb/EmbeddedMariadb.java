package dev.sluice.embedded.mariadb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A MariaDB server that needs no installation: its binaries come as a library, for Linux on x86-64.
 */
public final class EmbeddedMariadb extends EmbeddedServer {

  private EmbeddedMariadb(Place place, List<String> options, Map<String, String> environment)
      throws IOException {
    super(MariadbBinaries.unpacked().program(), place, options, environment);
  }

  /** Starts a server with all defaults. */
  public static EmbeddedMariadb start() {
    return builder().start();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Whether the binaries run on this machine. */
  public static boolean isAvailable() {
    return MariadbBinaries.areForThisMachine();
  }

  /** Collects the options of a server. Not threadsafe. */
  public static final class Builder extends ServerBuilder<EmbeddedMariadb> {
    private Builder() {
      super("mariadb");
      // With it a server makes a certificate at each start, which takes ten seconds of CPU time.
      setting("ssl", "OFF");
    }

    @Override
    void fill(Path data) throws IOException {
      MariadbTemplate.copyTo(data, MariadbBinaries.unpacked());
    }

    @Override
    EmbeddedMariadb server(
        EmbeddedServer.Place place, List<String> options, Map<String, String> environment)
        throws IOException {
      return new EmbeddedMariadb(place, options, environment);
    }
  }
}
