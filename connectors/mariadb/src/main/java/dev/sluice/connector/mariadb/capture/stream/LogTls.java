package dev.sluice.connector.mariadb.capture.stream;

import com.github.shyiko.mysql.binlog.network.DefaultSSLSocketFactory;
import com.github.shyiko.mysql.binlog.network.SSLMode;
import com.github.shyiko.mysql.binlog.network.SSLSocketFactory;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The encryption of the connection that reads the log, by the same options as the driver's
 * sessions: {@code sslMode} and {@code serverSslCert}. Immutable.
 *
 * @param sockets empty if certificates are verified with those that Java trusts, or not at all
 */
record LogTls(SSLMode mode, Optional<SSLSocketFactory> sockets) {

  static LogTls of(Map<String, String> options) {
    SSLMode mode =
        switch (options.getOrDefault("sslMode", "disable")) {
          case "disable" -> SSLMode.DISABLED;
          case "trust" -> SSLMode.REQUIRED;
          case "verify-ca" -> SSLMode.VERIFY_CA;
          case "verify-full" -> SSLMode.VERIFY_IDENTITY;
          default ->
              throw new SluiceException.Fatal(
                  new Problem(
                      "sslMode of the source's url",
                      options.get("sslMode"),
                      "disable, trust, verify-ca or verify-full",
                      "Correct it"));
        };
    String certificate = options.get("serverSslCert");
    boolean verifies = mode == SSLMode.VERIFY_CA || mode == SSLMode.VERIFY_IDENTITY;
    return new LogTls(
        mode,
        certificate == null || !verifies ? Optional.empty() : Optional.of(trusting(certificate)));
  }

  private static SSLSocketFactory trusting(String file) {
    try (InputStream content = Files.newInputStream(Path.of(file))) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate each :
          CertificateFactory.getInstance("X.509").generateCertificates(content)) {
        store.setCertificateEntry("server-" + number++, each);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      return new DefaultSSLSocketFactory() {
        @Override
        protected void initSSLContext(SSLContext context) throws GeneralSecurityException {
          context.init(null, trust.getTrustManagers(), null);
        }
      };
    } catch (IOException | GeneralSecurityException e) {
      throw new SluiceException.Fatal(
          new Problem(
              "serverSslCert of the source's url",
              file + ", which cannot be read: " + e.getMessage(),
              "a file with the server's certificate in PEM",
              "Correct it"));
    }
  }
}
